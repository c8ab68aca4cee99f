// Suites in one file share a service and a browser, which together take longer to start than most tests.
import './session.suite.ts';
import './navigation.suite.ts';
