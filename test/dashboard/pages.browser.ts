// Suites in one file share a service and a browser, which together take longer to start than most tests.
import './agents.suite.ts';
import './every-page.suite.ts';
import './keys.suite.ts';
import './reference-page.suite.ts';
import './session-tabs.suite.ts';
