/**
 * A self-signed certificate for `receiver.example`, `localhost` and 127.0.0.1, valid for a hundred years. Nothing but
 * tests trusts it. Created with:
 *
 *     openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj '/CN=test certificate' \
 *       -addext 'subjectAltName=DNS:receiver.example,DNS:localhost,IP:127.0.0.1'
 */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBvDCCAWKgAwIBAgIUPp80MbdeYMA2rIxnAHuTtlEql+wwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQdGVzdCBjZXJ0aWZpY2F0ZTAgFw0yNjExMTYxMDU0NTBaGA8y
MTI2MTAyMzEwNTQ1MFowGzEZMBcGA1UEAwwQdGVzdCBjZXJ0aWZpY2F0ZTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABKDlOwmeOg98AMEEWC/mGEXwHFvMcsUKwGoO
AtddelzwitrKsCCpnjbdYU5+CqGFHoTZ55rtxmV8zEmpY+WkYqGjgYEwfzAdBgNV
HQ4EFgQU0FdYvdHR/hSYvKix9mZHfANYdcwwHwYDVR0jBBgwFoAU0FdYvdHR/hSY
vKix9mZHfANYdcwwDwYDVR0TAQH/BAUwAwEB/zAsBgNVHREEJTAjghByZWNlaXZl
ci5leGFtcGxlgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIgQFj0
KzctnCIgZ3yTSg5B5qfbAxPhY1jiTV0J1E0ujHsCIQCWTGnJUoxlWfj4gX1NAGWj
6wInaK34a1ylpLTq43LHpQ==
-----END CERTIFICATE-----`;

export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwbr674glidXZvrlf
Emm4A0d9j8N+m4scXMrgDDzn5P6hRANCAASg5TsJnjoPfADBBFgv5hhF8BxbzHLF
CsBqDgLXXXpc8IrayrAgqZ423WFOfgqhhR6E2eea7cZlfMxJqWPlpGKh
-----END PRIVATE KEY-----`;
