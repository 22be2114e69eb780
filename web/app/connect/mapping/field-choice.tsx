/** A field of a waiting body, with its sample and what it means. */
import { useId } from 'preact/hooks'
import { t } from '../../../language.js'
import type { BodyField } from './body-fields.js'
import { pairRoles } from './field-pairs.js'
import { isNumber, roles, type Role } from './guess-mapping.js'

interface Props {
  readonly field: BodyField
  readonly role: Role | undefined
  /** True if the field is outside the list whose entries are values. */
  readonly isOutside: boolean
  readonly onChange: (role: Role | '') => void
}

/** Shows the field; a choice of its meaning only for values inside the chosen list, not for groups. */
export function FieldChoice({ field, role, isOutside, onChange }: Props) {
  const id = useId()
  const { count, depth, kind, name, value } = field
  const shownName = name || t('connect.map.body')
  const isChoice = kind === 'value' && !isOutside
  return (
    <li class={role !== undefined && isChoice ? 'meant' : undefined} style={{ '--depth': depth }}>
      <span class="name">
        {isChoice ? <label for={id}>{shownName}</label> : shownName}
        {count !== undefined && <small>{t('connect.map.entries', { count })}</small>}
      </span>
      {kind === 'value' && <code>{value === '' ? '""' : String(value)}</code>}
      {isChoice && (
        <select
          id={id}
          value={role ?? ''}
          onChange={event => onChange(event.currentTarget.value as Role | '')}
        >
          <option value="">{t('connect.map.role.none')}</option>
          {roles
            .filter(each => isNumber(field) || !isOfPair(each))
            .map(each => (
              <option key={each} value={each}>
                {t(`connect.map.role.${each}`)}
              </option>
            ))}
        </select>
      )}
    </li>
  )
}

/** Returns true if a role is that of one of two numbers. */
function isOfPair(role: Role): boolean {
  return pairRoles.some(each => each === role)
}
