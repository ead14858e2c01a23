/** The part of WebAssembly that is used: the whole comes only with a browser's types. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
    static imports(module: Module): readonly { readonly name: string; readonly kind: string }[];
  }
  class Memory {
    constructor(descriptor: { readonly initial: number; readonly maximum: number });
    readonly buffer: ArrayBuffer;
  }
  type ModuleImports = Record<string, unknown>;
  class Instance {
    constructor(module: Module, imports: Record<string, ModuleImports>);
    readonly exports: Record<string, unknown>;
  }
}
