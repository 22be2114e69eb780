/** Validates the reminders, forms and rules of a foreign file. */
import { Type } from 'typebox'
import { StoredReminder } from '../../schemas/plans/reminder.js'
import { isZone } from '../../schemas/zones.js'
import { readSchedule } from '../../core/forms/schedule.js'
import { compileShape, type Examiner } from './examiner.js'
import { readQuestionnaire } from '../../core/forms/questionnaire.js'
import { Form } from '../../schemas/plans/form.js'
import { RuleState, StoredRuleBody, type Rule } from '../../schemas/rule.js'

const isReminder = compileShape(StoredReminder)
const Time = Type.Number({ minimum: 0, maximum: 1e10 })
const orNull = Type.Union([Time, Type.Null()])
const isRow = compileShape(
  Type.Object({
    due: Time,
    day: Type.Integer({ minimum: 0, maximum: 100_000 }),
    state: Type.Enum(['open', 'later', 'done', 'skipped']),
    answered: orNull,
    event: Type.Union([Type.String({ maxLength: 1024 }), Type.Null()]),
    told: Type.Integer({ minimum: 0 }),
    repeats: Type.Integer({ minimum: 0, maximum: 5 }),
    next: orNull
  })
)

/** Reports problems with reminders, and with the times at which they were due. */
export function examineReminders(examiner: Examiner): void {
  const { file } = examiner
  for (const { access, body, id, next } of file.rows('SELECT * FROM reminder')) {
    const reminder = examiner.read('reminder', id, body, isReminder) as StoredReminder | undefined
    if (!reminder) continue
    const isIndexed =
      reminder.id === id && reminder.accessId === access && (next === null || typeof next === 'number')
    examiner.check(isIndexed, 'reminder', id, "is indexed under values that don't match its content")
    examiner.check(isWritten(reminder), 'reminder', id, 'has a schedule that contradicts itself')
    examiner.check(isZone(reminder.zone), 'reminder', id, 'is in an unknown time zone')
  }
  const stray = file.first('SELECT id FROM reminder WHERE access NOT IN (SELECT id FROM access)')
  examiner.check(stray === undefined, 'reminder', stray, 'belongs to no access')
  for (const { reminder, ...row } of file.rows('SELECT * FROM reminder_occurrence'))
    examiner.check(
      isRow(row),
      'reminder',
      reminder,
      'was due at a time that is not stored as the service does it'
    )
  const lost = file.first(
    'SELECT reminder FROM reminder_occurrence WHERE reminder NOT IN (SELECT id FROM reminder)'
  )
  examiner.check(lost === undefined, 'reminder', lost, 'was due, but does not exist')
}

/** Returns whether a schedule is one that the service has checked. */
function isWritten({ schedule }: StoredReminder): boolean {
  try {
    return JSON.stringify(readSchedule(schedule)) === JSON.stringify(schedule)
  } catch {
    return false
  }
}

const isForm = compileShape(Form)

/** Reports problems with forms and their questionnaires. */
export function examineForms(examiner: Examiner): void {
  const { file } = examiner
  for (const { access, body, id } of file.rows('SELECT * FROM form')) {
    const form = examiner.read('form', id, body, isForm) as Form | undefined
    if (!form) continue
    const isIndexed = form.id === id && form.accessId === access
    examiner.check(isIndexed, 'form', id, "is indexed under values that don't match its content")
    examiner.check(isReadable(form), 'form', id, 'has a questionnaire that the service does not accept')
  }
  const stray = file.first('SELECT id FROM form WHERE access NOT IN (SELECT id FROM access)')
  examiner.check(stray === undefined, 'form', stray, 'belongs to no access')
}

function isReadable({ questionnaire, title }: Form): boolean {
  try {
    return readQuestionnaire(questionnaire).title === title
  } catch {
    return false
  }
}

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
