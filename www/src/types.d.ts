/// <reference types="vite/client" />

/** Version of the package that the page was built with. */
declare const __VERSION__: string;
/** Version of Redis that the engine reports. */
declare const __REDIS_VERSION__: string;
/** Address of the source, or "" while none is published. */
declare const __SOURCE__: string;

/** Address of the script that explores races. */
declare module 'virtual:race-worker' {
  const address: string;
  export default address;
}

/** Printed by build/lessons.ts. */
declare module 'virtual:lessons' {
  /** Name, title and themes of each lesson, in reading order. */
  export const headers: readonly (readonly [name: string, title: string, themes: string])[];
}

/** Printed by build/command-columns.ts. */
declare module 'virtual:command-columns' {
  /** Values of all rows of the command table, by column; null where a row leaves it out. */
  export const columns: { readonly name: readonly string[] } & Readonly<Record<string, readonly unknown[]>>;
}

/** Printed by build/command-columns.ts. */
declare module 'virtual:command-details' {
  interface CommandDetails {
    readonly complexity: string;
    /** Notation of the reply. */
    readonly reply: string;
    /** Replies of different kinds, each with its request. */
    readonly replies: readonly (readonly [reply: string, request: string])[];
    readonly errors: readonly string[];
    readonly deprecatedSince?: string;
    readonly replacedBy?: string;
  }
  /** Details by the name of the command. */
  export const details: Readonly<Record<string, CommandDetails>>;
}
