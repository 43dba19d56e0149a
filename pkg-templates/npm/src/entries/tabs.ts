/** Entry `keylatch/tabs`: one database for all tabs of a browser. */
export { isResent } from '../client/shared/resent.js';
export { share, type ShareOptions } from '../tabs/share.js';
export { SharedClient } from '../client/shared/client.js';
export type { SharedCommands } from '../client/shared/commands.js';
export type { SharedValues } from '../client/shared/json.js';
export { SharedKeylatch, type RoleListener } from '../tabs/shared-keylatch.js';
export type { SharedMulti } from '../client/shared/multi.js';
export type { SharedPrefixedClient, SharedPrefixedCommands } from '../client/shared/prefix.js';
export type { Role } from '../tabs/role.js';
export { TabsError, type TabsCode } from '../tabs/tabs-error.js';
