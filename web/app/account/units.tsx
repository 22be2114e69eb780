/** The units in which numbers are displayed; stored values do not change. */
import { t } from '../../language.js'
import { UnitChoices } from '../parts/unit-choices.js'

export function Units() {
  return (
    <section>
      <h2>{t('data.units')}</h2>
      <p class="hint">{t('data.units.hint')}</p>
      <UnitChoices />
    </section>
  )
}
