import ServerConsole
import ServerStorage

/// The settings of applications that are made at run time (rules AR-1, AR-3 and AR-20).
package struct RuntimeApplicationSettings: Sendable {
    /// The largest number of applications made at run time.
    package var maximum = 1_000
    /// The operator's key that encrypts stored applications; nil to store them without encryption.
    package var key: Secret?
    /// The services that run. Applications of other services cannot be made.
    package var services: Set<ApplicationService>
    /// Reads an application's settings.
    package var reader: ApplicationReader
    /// Makes random bytes for keys and secrets.
    package var random: @Sendable (Int) -> [UInt8] = { ConsolePasswords.random($0) }

    package init(services: Set<ApplicationService> = Set(ApplicationService.allCases), reader: ApplicationReader) {
        (self.services, self.reader) = (services, reader)
    }
}
