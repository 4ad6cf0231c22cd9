import Foundation

extension NCEngine {
    /// Registers the application's own message types. Call it before connecting, because messages that arrive earlier have an
    /// ``UnknownMessage`` as their content.
    ///
    /// - Parameter classes: subclasses of ``CustomMessage`` or ``CustomMediaMessage``, each with a type name of its own.
    /// - Returns: nil for success; otherwise an error (34209), and none of the classes was registered.
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
