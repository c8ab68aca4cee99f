<<<<<<<< HEAD:dashboard/built/assets/current-tab-D3LvBAoF.js
import{Pr as e,jr as t}from"./index-Cpgp3Djk.js";var n=e(t(),1);function r(e,t){(0,n.useEffect)(()=>{let t=e.current,n=t?.querySelector(`[aria-current], [aria-selected=true]`);if(!t||!n)return;let r=()=>{t.scrollLeft+=i(n)-i(t)};r();let a=new ResizeObserver(r);return a.observe(t),()=>a.disconnect()},[e,t])}function i(e){let{left:t,width:n}=e.getBoundingClientRect();return t+n/2}export{r as t};
========
import{Ar as e,Or as t}from"./index-CKXx8uCi.js";var n=e(t(),1);function r(e,t){(0,n.useEffect)(()=>{let t=e.current,n=t?.querySelector(`[aria-current], [aria-selected=true]`);if(!t||!n)return;let r=()=>{t.scrollLeft+=i(n)-i(t)};r();let a=new ResizeObserver(r);return a.observe(t),()=>a.disconnect()},[e,t])}function i(e){let{left:t,width:n}=e.getBoundingClientRect();return t+n/2}export{r as t};
>>>>>>>> h-know35:dashboard/built/assets/current-tab-COBo_fip.js
