<<<<<<<< HEAD:dashboard/built/assets/json-block-8-Rk8old.js
import{qn as e}from"./index-Cpgp3Djk.js";var t={scroller:`_scroller_167kb_1`,code:`_code_167kb_17`},n=e();function r({value:e,label:r,isWhole:i=!1}){return(0,n.jsx)(`section`,{className:t.scroller,"data-is-whole":i||void 0,tabIndex:0,"aria-label":r,children:(0,n.jsx)(`pre`,{className:t.code,children:JSON.stringify(e,null,2)})})}export{r as t};
========
import{Wn as e}from"./index-CKXx8uCi.js";var t={scroller:`_scroller_167kb_1`,code:`_code_167kb_17`},n=e();function r({value:e,label:r,isWhole:i=!1}){return(0,n.jsx)(`section`,{className:t.scroller,"data-is-whole":i||void 0,tabIndex:0,"aria-label":r,children:(0,n.jsx)(`pre`,{className:t.code,children:JSON.stringify(e,null,2)})})}export{r as t};
>>>>>>>> h-know35:dashboard/built/assets/json-block-BTHMk76g.js
