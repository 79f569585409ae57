/** Preloaded into a measured Node where no `bash` can measure it from outside: tells its CPU time through descriptor 3. */
const { writeSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, `${(user + system) / 1000}`);
});
