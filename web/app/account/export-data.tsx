/** Exports all data of the account as one file: complete, for another Coffer service to import, or as a folder to read. */
import { useContext } from 'preact/hooks'
import { getLanguage, rich, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { PageContext } from '../../page-context.js'
import { useAccount } from '../data/account.js'
import { AppLink } from '../parts/app-link.js'
import { saveFile } from '../parts/save-file.js'

/** Languages of what explains the folder. */
const folderLanguages = ['en', 'de', 'fr'] as const

/**
 * Shows a button for each form of export, which saves a ZIP file, and a link to the table. Dates in the folder
 * use the browser's time zone.
 */
export function ExportData() {
  const { client, username } = useAccount()
  const { info } = useContext(PageContext)
  const name = `${info.name.toLowerCase().replaceAll(/\W+/g, '-')}-${username}`
  const exportData = async (): Promise<void> =>
    saveFile(await client.download('account/export'), `${name}.zip`)
  const exportFolder = async (): Promise<void> => {
    const query = new URLSearchParams({
      form: 'folder',
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      language: folderLanguages.find(each => each === getLanguage()) ?? 'en'
    })
    saveFile(await client.download(`account/export?${query}`), `${name}-${t('own.exportFolderName')}.zip`)
  }
  return (
    <section>
      <h2>{t('own.export')}</h2>
      <p>{t('own.exportLead')}</p>
      <div class="actions start">
        <Action onClick={exportData}>{t('own.exportAction')}</Action>
      </div>
      <p>{t('own.exportFolderLead')}</p>
      <div class="actions start">
        <Action onClick={exportFolder}>{t('own.exportFolder')}</Action>
      </div>
      <p>
        {rich('own.exportMore', { table: <AppLink to={{ page: 'table' }}>{t('own.exportTable')}</AppLink> })}
      </p>
    </section>
  )
}
