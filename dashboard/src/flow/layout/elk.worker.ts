// In a worker of its own: a large flow takes a second or more, in which the page must not stand still.
import 'elkjs/lib/elk-worker.min.js';
