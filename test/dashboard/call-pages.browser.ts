// Suites in one file share a service and a browser, which together take longer to start than most tests.
import './call-analysis.suite.ts';
import './calls.suite.ts';
import './providers.suite.ts';
import './secrets.suite.ts';
import './try.suite.ts';
