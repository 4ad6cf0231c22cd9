#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension BackendError {
    /// Encodes a value as JSON text with sorted keys, so that equal values have equal signatures.
    static func json(_ value: some Encodable) throws(BackendError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw BackendError(
                .unencodable, "A value of type \(type(of: value)) cannot be encoded as JSON. Check how the type encodes itself.")
        }
    }
}
