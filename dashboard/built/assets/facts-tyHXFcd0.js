<<<<<<<< HEAD:dashboard/built/assets/facts-tyHXFcd0.js
import{qn as e}from"./index-Cpgp3Djk.js";var t={pairs:`_pairs_1wgek_1`,id:`_id_1wgek_23`},n=e();function r({facts:e}){return(0,n.jsx)(`dl`,{className:t.pairs,children:e.map(([e,t],r)=>(0,n.jsxs)(`div`,{children:[(0,n.jsx)(`dt`,{children:e}),(0,n.jsx)(`dd`,{children:t})]},r))})}function i({children:e}){return(0,n.jsx)(`span`,{className:t.id,children:e??`—`})}export{i as n,r as t};
========
import{Wn as e}from"./index-CKXx8uCi.js";var t={pairs:`_pairs_1wgek_1`,id:`_id_1wgek_23`},n=e();function r({facts:e}){return(0,n.jsx)(`dl`,{className:t.pairs,children:e.map(([e,t],r)=>(0,n.jsxs)(`div`,{children:[(0,n.jsx)(`dt`,{children:e}),(0,n.jsx)(`dd`,{children:t})]},r))})}function i({children:e}){return(0,n.jsx)(`span`,{className:t.id,children:e??`—`})}export{i as n,r as t};
>>>>>>>> h-know35:dashboard/built/assets/facts-DG7TEMt1.js
