// LifelineOutbox keeps messages in SQLite, for which GRDB has to be there. Built before everything that needs it, so that this is the only
// error.
#if !ChatDatabase
    #error(
        "LifelineOutbox needs the package trait ChatDatabase. Write it in your Package.swift: .package(url: …, from: …, traits: [\"ChatDatabase\"])"
    )
#endif
