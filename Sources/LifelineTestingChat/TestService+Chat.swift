import ClientRuntime
import EngineRuntime
import Foundation
import LifelineTesting
import NexconnChatSDK

extension TestService {
    /// Runs code of an app that uses `NCEngine`, on this service.
    ///
    /// Inside, `NCEngine` is an engine of its own, also in tasks that the code starts and in its handlers and completions; so tests may
    /// run side by side. Local databases lie in a directory of their own, which is removed at the end; the user is signed out then.
    ///
    /// - Parameter body: gets parameters for `NCEngine.initialize(_:)` with an app key, an address and a database directory. Pass them
    ///   on, or set the same directory in those of the app.
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
