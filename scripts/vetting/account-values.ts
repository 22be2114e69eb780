/** Validates the values of account fields in a foreign file: one active value per field, which the user could have set. */
import { checkFieldValue } from '../../core/account/check-field-value.js'
import type { Config } from '../../core/settings/config.js'
import { activeId, uniqueId } from '../../core/system-ids.js'
import { getAccountStreams, type AccountField } from '../../core/account/fields.js'
import type { Event } from '../../schemas/event.js'
import type { Examiner } from './examiner.js'

/**
 * Reports problems with all values, including those in the format of earlier versions. Values of unknown
 * fields are ignored. Does nothing for backups.
 */
export function examineAccountValues(examiner: Examiner): void {
  const { file, options } = examiner
  if (!options.targetConfig) return
  const active = examineEvents(examiner, options.targetConfig)
  const { byName } = getAccountStreams(options.targetConfig)
  for (const { name, value } of file.rows('SELECT name, value FROM account_field')) {
    const field = byName.get(String(name))
    if (!field) continue
    examiner.check(!active.has(field.name), 'profile', name, 'is repeated')
    examineValue(examiner, 'profile', name, field, parseJson(value))
  }
  for (const { field: name, value } of file.rows('SELECT field, value FROM confirmed_value')) {
    const field = byName.get(String(name))
    if (field && value !== null) examineValue(examiner, 'profile', name, field, parseJson(value))
  }
}

/** Validates values that are events. Returns the names of the fields that have an active value. */
function examineEvents(examiner: Examiner, home: Config): ReadonlySet<string> {
  const { fields } = getAccountStreams(home)
  const active = new Set<string>()
  for (const { body, id } of examiner.file.rows('SELECT id, body FROM event WHERE stream < 0')) {
    const { content, streamIds = [], trashed } = Object(parseJson(body)) as Partial<Event>
    if (!Array.isArray(streamIds)) continue
    const say = (isRight: boolean, detail: string): boolean => examiner.check(isRight, 'event', id, detail)
    const [isActive, isUnique] = [activeId, uniqueId].map(mark => streamIds.includes(mark))
    const field = fields.get(String(streamIds[0]))
    say(!isUnique || isActive === true, 'is kept from others without being in force')
    if (!field || !isActive) continue
    say(!field.isUnique || isUnique === true, 'is not kept from others, as values of its field are')
    say(!active.has(field.name) && trashed !== true, 'is not the only value of its field, or in the trash')
    active.add(field.name)
    examineValue(examiner, 'event', id, field, content)
  }
  return active
}

function examineValue(
  examiner: Examiner,
  kind: 'event' | 'profile',
  id: unknown,
  field: AccountField,
  value: unknown
): void {
  const isNone = value === undefined || value === null || value === field.defaultValue
  const violation = isNone ? undefined : checkFieldValue(field, value, '#')
  examiner.check(!violation, kind, id, `is not what the field "${field.name}" can hold`)
}

/** Parses JSON. Invalid texts have been reported already. */
function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
