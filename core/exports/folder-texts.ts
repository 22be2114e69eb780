/** Texts of an export as a folder, in the languages of the pages. */

/** Names of folders, and the text that explains them. */
export interface FolderTexts {
  readonly tables: string
  readonly others: string
  readonly photos: string
  readonly files: string
  /** `zone`: the time zone in which times are written. */
  readonly readMe: (facts: {
    readonly username: string
    readonly day: string
    readonly zone: string
  }) => string
}

export const folderLanguages = ['en', 'de', 'fr'] as const
export type FolderLanguage = (typeof folderLanguages)[number]

export const folderTexts: Readonly<Record<FolderLanguage, FolderTexts>> = {
  en: {
    tables: 'measures',
    others: 'other data',
    photos: 'photos',
    files: 'files',
    readMe: ({ username, day, zone }) => `The data of ${username}, exported on ${day}

measures/    one table for each measure, such as weight or heart rate
other data/  one table for each other kind of data, such as notes
photos/      pictures, by month; their names begin with the day and time
files/       other files, named in the same way

The tables (CSV, UTF-8) open in any spreadsheet program. Each row is a value:
  time      date and time in the time zone ${zone}, with its offset from UTC
  unixTime  the same in seconds since 1970
  duration  in seconds, if the value covers a period
  stream    where the value is in the account, and so its source
  value     the value, and in "unit" its unit (UCUM)
  description, attachments   the note and the names of files, in the first row of an event
Texts that a spreadsheet program would run as a formula begin with an apostrophe.
Data in several streams may be in several tables. Data in the trash is not included.

This folder is for reading. To move everything to another service, export the complete archive.
`
  },
  de: {
    tables: 'Messgrößen',
    others: 'Weitere Daten',
    photos: 'Fotos',
    files: 'Dateien',
    readMe: ({ username, day, zone }) => `Die Daten von ${username}, exportiert am ${day}

Messgrößen/     eine Tabelle pro Messgröße, zum Beispiel Gewicht oder Herzfrequenz
Weitere Daten/  eine Tabelle pro anderer Art von Daten, zum Beispiel Notizen
Fotos/          Bilder nach Monat; ihre Namen beginnen mit Tag und Uhrzeit
Dateien/        andere Dateien, ebenso benannt

Die Tabellen (CSV, UTF-8) lassen sich mit jedem Tabellenprogramm öffnen. Jede Zeile ist ein Wert:
  time      Datum und Uhrzeit in der Zeitzone ${zone}, mit Abstand zu UTC
  unixTime  dasselbe in Sekunden seit 1970
  duration  in Sekunden, wenn der Wert einen Zeitraum umfasst
  stream    wo der Wert im Konto liegt, und damit seine Quelle
  value     der Wert, und in „unit“ seine Einheit (UCUM)
  description, attachments   Notiz und Dateinamen, in der ersten Zeile eines Ereignisses
Texte, die ein Tabellenprogramm als Formel ausführen würde, beginnen mit einem Apostroph.
Daten in mehreren Streams können in mehreren Tabellen stehen. Daten im Papierkorb sind nicht enthalten.

Dieser Ordner ist zum Lesen gedacht. Um alles zu einem anderen Dienst mitzunehmen, exportieren Sie das vollständige Archiv.
`
  },
  fr: {
    tables: 'mesures',
    others: 'autres données',
    photos: 'photos',
    files: 'fichiers',
    readMe: ({ username, day, zone }) => `Les données de ${username}, exportées le ${day}

mesures/         un tableau par mesure, par exemple le poids ou la fréquence cardiaque
autres données/  un tableau par autre type de données, par exemple les notes
photos/          les images, par mois\u202f; leur nom commence par le jour et l’heure
fichiers/        les autres fichiers, nommés de la même façon

Les tableaux (CSV, UTF-8) s’ouvrent dans tout tableur. Chaque ligne est une valeur\u00a0:
  time      date et heure dans le fuseau horaire ${zone}, avec le décalage par rapport à UTC
  unixTime  la même chose en secondes depuis 1970
  duration  en secondes, si la valeur couvre une période
  stream    où se trouve la valeur dans le compte, donc sa source
  value     la valeur, et dans «\u00a0unit\u00a0» son unité (UCUM)
  description, attachments   la note et les noms des fichiers, sur la première ligne d’un événement
Les textes qu’un tableur exécuterait comme une formule commencent par une apostrophe.
Les données présentes dans plusieurs flux peuvent figurer dans plusieurs tableaux. Les données de la corbeille ne sont pas incluses.

Ce dossier est fait pour être lu. Pour tout transférer vers un autre service, exportez l’archive complète.
`
  }
}
