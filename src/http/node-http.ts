/** Node's HTTP server, without what importing it loads besides: the client behind `fetch`, a tenth of a start. */
export const { Server, STATUS_CODES } = process.getBuiltinModule('node:http');
