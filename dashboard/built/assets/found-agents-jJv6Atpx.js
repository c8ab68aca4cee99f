<<<<<<<< HEAD:dashboard/built/assets/found-agents-jJv6Atpx.js
import{G as e,O as t,d as n,u as r}from"./index-Cpgp3Djk.js";function i(i){let a=r(),{isAllowed:o}=n(`agents:read`),{data:s=[]}=t({queryKey:[`agents`,`names`,i],queryFn:async({signal:e})=>{let{items:t}=await a.agents.list({limit:20,q:i===``?void 0:i},{signal:e});return t.map(({id:e,name:t})=>({value:e,label:t}))},enabled:o,placeholderData:e});return s}export{i as t};
========
import{G as e,O as t,d as n,u as r}from"./index-CKXx8uCi.js";function i(i){let a=r(),{isAllowed:o}=n(`agents:read`),{data:s=[]}=t({queryKey:[`agents`,`names`,i],queryFn:async({signal:e})=>{let{items:t}=await a.agents.list({limit:20,q:i===``?void 0:i},{signal:e});return t.map(({id:e,name:t})=>({value:e,label:t}))},enabled:o,placeholderData:e});return s}export{i as t};
>>>>>>>> h-know35:dashboard/built/assets/found-agents-DdTIYbpG.js
