#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension BackendError {
    /// A value as JSON text, with sorted keys, so that the same value has the same signature.
    static func json(_ value: some Encodable) throws(BackendError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw BackendError(.unencodable, "A value of type \(type(of: value)) cannot be encoded as JSON.")
        }
    }
}
