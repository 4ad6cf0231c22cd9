// The server stores messages in SQLite and therefore needs the package GRDB. This file is built before all other files that need GRDB, so
// that the compiler shows only this error.
#if !Server
    #error(
        "LifelineServer needs the package trait Server. Write it in your Package.swift: .package(url: …, from: …, traits: [\"Server\"])"
    )
#endif
