// With the long tests: its flows send requests to receivers, and look at every state light and dark.
import './webhooks.suite.ts';
