/** Exports all data of the account as one file, which another Coffer service can import. */
import { useContext } from 'preact/hooks'
import { rich, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { PageContext } from '../../page-context.js'
import { useAccount } from '../data/account.js'
import { AppLink } from '../parts/app-link.js'
import { saveFile } from '../parts/save-file.js'

export function ExportData() {
  const { client, username } = useAccount()
  const { info } = useContext(PageContext)
  const exportData = async (): Promise<void> =>
    saveFile(
      await client.download('account/export'),
      `${info.name.toLowerCase().replaceAll(/\W+/g, '-')}-${username}.zip`
    )
  return (
    <section>
      <h2>{t('own.export')}</h2>
      <p>{t('own.exportLead')}</p>
      <div class="actions start">
        <Action onClick={exportData}>{t('own.exportAction')}</Action>
      </div>
      <p>
        {rich('own.exportMore', { table: <AppLink to={{ page: 'table' }}>{t('own.exportTable')}</AppLink> })}
      </p>
    </section>
  )
}
