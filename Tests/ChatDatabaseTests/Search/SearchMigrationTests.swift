import ChatDatabase
import GRDB
import Testing

@Suite("Files from before signs were words (CD-37)")
struct SearchMigrationTests {
    private let scratch = Scratch()

    @Test("CD-37: Messages from before signs were words are indexed again when the file is opened")
    func reindexed() throws {
        let first = try scratch.open()
        for (index, words) in ["I like C++", "a C alone", "北京 + 上海"].enumerated() {
            try first.receive(.message(text(Int64(index + 1) * 100, words)))
        }
        let path = first.path
        first.close()
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in
            try database.execute(sql: "DROP TABLE message_text")
            try database.execute(
                sql: """
                    CREATE VIRTUAL TABLE message_text USING fts5(
                        text, content='', columnsize=0, prefix='1 2 3',
                        tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co So'"
                    )
                    """)
            try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '2 search for signs'")
        }
        try queue.close()
        let second = try scratch.open()
        #expect(try second.search("C++", in: ann).messages.map(\.sentTime) == [100])
        #expect(try second.search("+", in: ann).messages.map(\.sentTime) == [300, 100])
        #expect(try second.search("京", in: ann).messages.map(\.sentTime) == [300])
        #expect(try second.search("alone", in: ann).messages.map(\.sentTime) == [200])
    }
}
