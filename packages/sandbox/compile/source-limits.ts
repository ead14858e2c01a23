/** All files of one script together, in UTF-8. A generated script of 300 KB has been seen. */
export const sourceBytesMax = 524_288;
/** Files of one script. One is usual; a few hold shared helpers. */
export const sourceFilesMax = 64;
/** UTF-16 units in the path of a file. */
export const sourcePathCharsMax = 128;
/**
 * Syntax inside syntax. Parsers are recursive: one of them dies with its process near 8,000 levels
 * and the other takes the service of all later builds with it, so none sees more than this.
 */
export const treeDepthLevelsMax = 1_000;
/** Problems in one answer. A model repairs a handful at a time; a hostile script could have all. */
export const problemsMax = 200;
