/// <reference types="vite/client" />

/** Version of the package that the page was built with. */
declare const __VERSION__: string;
/** Version of Redis that the engine reports. */
declare const __REDIS_VERSION__: string;
/** Address of the source, or "" while none is published. */
declare const __SOURCE__: string;
