import Foundation

extension NCEngine {
    /// Tells the SDK about the application's own kinds of messages. Before connecting: what arrives earlier is an ``UnknownMessage``.
    ///
    /// - Parameter classes: subclasses of ``CustomMessage`` or ``CustomMediaMessage``, each with a type of its own.
    /// - Returns: why none of them was registered (34209); nil for success.
    #if canImport(ObjectiveC)
        @objc
    #endif
    @discardableResult
    public static func registerCustomMessages(_ classes: [MessageContent.Type]) -> NCError? {
        do throws(NCError) {
            try ContentRegistry.register(classes)
            return nil
        } catch {
            return error
        }
    }
}
