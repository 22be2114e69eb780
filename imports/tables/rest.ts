/** Finds the words in a column's name that a rule does not cover. */
import { statisticNames, type ColumnRule } from './column-rules.js'

/** Words that do not change what a column measures, without accents. */
const neutralWords = new Set(
  (
    'body blood my the a an of in at and by for value values reading readings result level measurement measured measure ' +
    'count number total rate frequency sensor historic scan strip cgm current actual entry daily day taken walked burned burnt ' +
    'arterial capillary peripheral record data sat saturation lvl ' +
    'der die das des mein korper aktuell aktuelles gemessen gemessene gemessener gemessenes wert werte verlauf messung blut anzahl ' +
    'taglich tagliche verbraucht frequenz sattigung gesamt ' +
    'de du la le les l d mon en et nombre valeur valeurs mesure historique numerisation corporel corporelle corps sanguin sanguine ' +
    'sang taux frequence cardiaque arterielle tension total totale ' +
    'corporal corporeo corporea lichaam kropp el il un una heart ossigeno oxigeno saturazione saturacion'
  ).split(' ')
)
/** Prefixes and suffixes of measure words in their languages. */
const affixPattern =
  /^(?:\p{L}{0,3}|ility|ilitat|ilite|isch\p{L}{0,2}|iques?|e?werte?|n?sattigung|messung|spiegel|verbrauch|umsatz|korper|lichaams|kropps|blut|blod|herz)$/u

/**
 * Returns the words of a name (in lower case, without accents and unit) that are covered neither by a rule nor by minimum, maximum
 * or average: `Walking heart rate` differs from `Heart rate`.
 */
export function findUncoveredWords(name: string, { also: and, name: pattern }: ColumnRule): string[] {
  // Covered text is replaced by dots. The rest of a word must be an ending or a neutral word.
  const masked = [...statisticNames.map(([part]) => part), pattern, ...(and ? [and] : [])].reduce(
    (text, each) => text.replaceAll(new RegExp(each.source, 'gu'), found => '.'.repeat(found.length)),
    name
  )
  return [...masked.matchAll(/[\p{L}\p{M}\d.]+/gu)]
    .filter(([word]) => {
      const isPart = word.includes('.')
      return word
        .split('.')
        .some(
          remainder =>
            remainder !== '' && !neutralWords.has(remainder) && !(isPart && affixPattern.test(remainder))
        )
    })
    .map(([word]) => word)
}
