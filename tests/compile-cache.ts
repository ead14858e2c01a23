import { enableCompileCache } from "node:module";

// As the program does: threads and processes that a test starts need not compile everything anew.
enableCompileCache();
