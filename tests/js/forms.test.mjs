// Commands as programs write them, of the pages of the site: each runs behind its session and has the result that is stated.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allForms, partsOf, SESSION_START, sessionBefore, shown } from './support/forms.mjs';
import { scripting } from './support/package.mjs';

const { Keylatch, ManualClock } = await scripting('index');
const { runSessionOn } = await scripting('hints');

test('each form has the result that it states', () => {
  const wrong = [];
  const forms = allForms();
  assert.ok(forms.length > 400, `${forms.length} forms`);
  for (const form of forms) {
    const db = new Keylatch({ clock: new ManualClock(SESSION_START) });
    runSessionOn(db, sessionBefore(form));
    const { expression, stated } = partsOf(form.keylatch);
    try {
      const result = new Function('db', `return ${expression}`)(db);
      if (stated !== undefined && shown(result) !== stated)
        wrong.push(`${form.name}: ${form.keylatch}: ${shown(result)} (${form.path}:${form.line})`);
    } catch (error) {
      wrong.push(`${form.name}: ${form.keylatch}: ${error} (${form.path}:${form.line})`);
    }
    db.close();
  }
  assert.deepEqual(wrong, []);
});
