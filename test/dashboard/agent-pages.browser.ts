// Suites in one file share a service and a browser, which together take longer to start than most tests.
import './agent-check.suite.ts';
import './agent-form.suite.ts';
import './agent-versions.suite.ts';
import './unsaved.suite.ts';
