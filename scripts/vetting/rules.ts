/** Validates the rules of a foreign file. */
import { RuleState, StoredRuleBody, type Rule } from '../../schemas/rule.js'
import { isZone } from '../../schemas/zones.js'
import { compileShape, type Examiner } from './examiner.js'

const isRule = compileShape(StoredRuleBody)
const isState = compileShape(RuleState)

/** Maximum number of rules of an account. */
const maxRules = 100

/** Reports problems with rules and their states, and too many rules. */
export function examineRules(examiner: Examiner): void {
  const { file } = examiner
  let count = 0
  for (const { access, body, id, state } of file.rows('SELECT * FROM rule')) {
    const rule = examiner.read('rule', id, body, isRule) as Rule | undefined
    examiner.read('rule', id, state, isState)
    if (++count > maxRules) examiner.check(false, 'rule', id, 'is one of too many')
    if (!rule) continue
    const isIndexed = rule.id === id && rule.accessId === access
    examiner.check(isIndexed, 'rule', id, "is indexed under values that don't match its content")
    examiner.check(isZone(rule.zone), 'rule', id, 'has an unknown time zone')
  }
  const stray = file.first('SELECT id FROM rule WHERE access NOT IN (SELECT id FROM access)')
  examiner.check(stray === undefined, 'rule', stray, 'belongs to no access')
}
