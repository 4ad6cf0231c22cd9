// NexconnChat stores messages in SQLite and therefore needs the package GRDB. This file is built before all other files that need GRDB, so
// that the compiler shows only this error.
#if !ChatDatabase
    #error(
        "NexconnChat needs the package trait ChatDatabase. Write it in your Package.swift: .package(url: …, from: …, traits: [\"ChatDatabase\"])"
    )
#endif
