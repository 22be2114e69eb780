/** On the page Today: alerts that go on and have not been acknowledged. */
import { addModuleTexts } from '../texts.js'
import { OpenList } from './open-list.js'
import { useMeasures, useRules } from './rules.js'

/** Milliseconds between reads. */
const intervalMs = 60_000

await addModuleTexts('alerts')

/**
 * Reads the alerts at intervals and lists the open ones. Renders nothing while reading, without any, or if they
 * cannot be read.
 */
export default function OpenAlerts() {
  const { read, reread } = useRules(intervalMs)
  const rules = (read?.rules ?? []).filter(({ state }) => state.isOpen === true)
  const measures = useMeasures(rules)
  return measures ? <OpenList rules={rules} measures={measures} onChanged={reread} /> : null
}
