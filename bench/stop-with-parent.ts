/** Preloaded into a peer: it exits with the bench that started it, even if that is killed. */
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit();
}, 200).unref();
