/** Units in which the person wants to see numbers; what is stored stays as it is. */
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
