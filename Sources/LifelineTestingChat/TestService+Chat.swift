import ClientRuntime
import EngineRuntime
import Foundation
import LifelineTesting
import NexconnChatSDK

extension TestService {
    /// Runs code of an app that uses `NCEngine`, with this test service in place of a server.
    ///
    /// During the call `NCEngine` is a separate engine, also in tasks, handlers and completions of the code, so tests may run side by side.
    /// Local databases are in a separate directory. At the end the user is signed out and the directory is removed.
    ///
    /// - Parameter body: gets parameters for `NCEngine.initialize(_:)` with an app key, an address and a database directory. Pass these
    ///   parameters on, or set the same directory in the app's own parameters.
    public func withChatEngine<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (InitParams) async throws -> Value
    ) async rethrows -> Value {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("lifeline-testing-\(UUID().uuidString)", isDirectory: true)
        let engine = DoubledEngine(on: double)
        defer {
            engine.end()
            try? FileManager.default.removeItem(at: directory)
        }
        let params = InitParams(appKey: "test-key")
        params.naviServer = "https://test.invalid"
        params.databaseDirectory = directory.path
        params.logLevel = .none
        return try await engine.run { try await body(params) }
    }
}
