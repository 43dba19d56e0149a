/** Redis over HTTPS: each namespace is a Durable Object with an engine and a log of its own. */
import { KeylatchObject, keylatchFetch } from 'keylatch/durable-object';

export { KeylatchObject };

interface Env {
  readonly KEYLATCH: DurableObjectNamespace<KeylatchObject>;
  /** Secrets. Without KEYLATCH_TOKEN no request is answered; the other two are optional. */
  readonly KEYLATCH_TOKEN?: string;
  readonly KEYLATCH_NEXT_TOKEN?: string;
  readonly KEYLATCH_READ_ONLY_TOKEN?: string;
}

export default {
  fetch: (request, env) =>
    keylatchFetch(request, env.KEYLATCH, {
      token: [env.KEYLATCH_TOKEN, env.KEYLATCH_NEXT_TOKEN],
      readOnlyToken: env.KEYLATCH_READ_ONLY_TOKEN,
    }),
} satisfies ExportedHandler<Env>;
