// The server keeps messages in SQLite, for which GRDB has to be there. Built before everything that needs it, so that this is the only
// error.
#if !Server
    #error(
        "LifelineServer needs the package trait Server. Write it in your Package.swift: .package(url: …, from: …, traits: [\"Server\"])"
    )
#endif
