/** Names of streams that offers and permissions name, whether the account has them or not. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getMeasureName } from '../data/measures.js'
import { useStore } from '../data/store.js'

/**
 * Returns the function that names a stream: as in the account, else as the other side does, else by the measure with that id, since
 * requests of this app name measures.
 */
export function useStreamNames(): (id: string, otherName?: string) => string {
  const account = useAccount()
  const tree = useStore(account.tree)
  const [measures, setMeasures] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    account.measures.readAll().then(
      all => setMeasures(new Map(all.map(measure => [measure.id, getMeasureName(measure)]))),
      // The ids are shown.
      () => undefined
    )
  }, [])
  return (id, otherName) => {
    if (id === '*') return t('shell.allData')
    const given = otherName === id ? undefined : otherName
    return toPlainText(tree?.find(id)?.name ?? given ?? measures.get(id) ?? id)
  }
}
