/** What a file holds, a row for each kind and source: how much, from when to when, and where it goes. */
import { t } from '../../language.js'
import { plain } from '../../plain.js'
import { colourOf } from '../data/colours.js'
import { formatted } from '../parts/time.js'
import { written, type Lane } from './model.js'

interface Props {
  readonly lanes: readonly Lane[]
  /** Records of the file. */
  readonly total: number
}

export function Lanes({ lanes, total }: Props) {
  return (
    <section class="card found">
      <h2>{t('import.records', { count: written(total) })}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('import.what')}</th>
            <th scope="col" class="num">
              {t('import.count')}
            </th>
            <th scope="col">{t('import.goesTo')}</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map(lane => (
            <tr key={lane.key}>
              <td>
                <b>{plain(lane.stream)}</b>
                <small>{plain(lane.source) || lane.type}</small>
              </td>
              <td class="num">
                {written(lane.count)}
                <small>{yearsOf(lane)}</small>
              </td>
              <td>
                <span class="to">
                  <i class="dot" style={{ '--c': colourOf({ id: lane.key, name: lane.stream }) }} />
                  {plain(lane.stream)}
                </span>
                <small>{t(lane.form === 'series' ? 'import.asSeries' : 'import.asEvents')}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function yearsOf({ from, to }: Lane): string {
  const [first, last] = [from, to].map(time => formatted(time, { year: 'numeric', month: 'short' }))
  return first === last ? first! : `${first} – ${last}`
}
