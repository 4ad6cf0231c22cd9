import Testing

@testable import PostgreSQLStorage

#if canImport(Darwin)
    private let systemLibrary = "libSystem.B.dylib"
#else
    private let systemLibrary = "libc.so.6"
#endif

struct LibPQTests {
    @Test func `PG-19: without libpq the error says how to install it`() {
        let error = #expect(throws: PostgreSQLStoreError.libraryMissing) {
            _ = try LibPQ(names: ["libpq.so.0", "/nowhere/libpq.so.5"])
        }
        #expect(error?.description.contains("apt-get install libpq5") == true)
    }

    @Test func `PG-19: a library that lacks a function is taken for one that is too old`() {
        let error = #expect(throws: PostgreSQLStoreError.libraryTooOld) { _ = try LibPQ(names: ["libpq.so.0", systemLibrary]) }
        #expect(error?.description.contains("version 14") == true)
    }

    @Test(.enabled(if: (try? LibPQ()) != nil, "needs libpq"))
    func `PG-19: the functions of the installed libpq can be called`() throws {
        let libpq = try LibPQ()
        #expect(throws: Never.self) { try PostgreSQLSettings(url: "postgres://ann@db/live").check(libpq) }
        #expect(throws: PostgreSQLStoreError.invalidAddress) { try PostgreSQLSettings(url: "postgres://[::1/db").check(libpq) }
    }
}
