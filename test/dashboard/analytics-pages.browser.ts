// Suites in one file share a service and a browser, which together take longer to start than most tests.
import './analytics.suite.ts';
import './analytics-settings.suite.ts';
