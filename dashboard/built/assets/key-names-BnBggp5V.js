<<<<<<<< HEAD:dashboard/built/assets/key-names-eNTUc6jA.js
import{O as e,d as t,f as n}from"./index-Cpgp3Djk.js";function r(){let{client:r,whoami:i}=n(),{isAllowed:a}=t(`keys:read`),{data:o}=e({queryKey:[`keys`,`names`],queryFn:async({signal:e})=>{let{items:t}=await r.apiKeys.list({limit:200},{signal:e});return new Map(t.map(({id:e,name:t,hint:n})=>[e,t||n]))},enabled:a,staleTime:6e4,structuralSharing:!1});return o??(i.keyName?new Map([[i.keyId,i.keyName]]):new Map)}export{r as t};
========
import{O as e,d as t,f as n}from"./index-CKXx8uCi.js";function r(){let{client:r,whoami:i}=n(),{isAllowed:a}=t(`keys:read`),{data:o}=e({queryKey:[`keys`,`names`],queryFn:async({signal:e})=>{let{items:t}=await r.apiKeys.list({limit:200},{signal:e});return new Map(t.map(({id:e,name:t,hint:n})=>[e,t||n]))},enabled:a,staleTime:6e4,structuralSharing:!1});return o??(i.keyName?new Map([[i.keyId,i.keyName]]):new Map)}export{r as t};
>>>>>>>> h-know35:dashboard/built/assets/key-names-BnBggp5V.js
