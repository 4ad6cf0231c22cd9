import ChatDatabase
import ChatProtocol
import ConnectionEngine
import EngineRuntime
import TransportCommon

/// Functions that make the parts of an engine. Tests replace them by functions that make scripted parts.
struct ChatEngineAssembly: Sendable {
    typealias Driver = ConnectionDriver<ChatSession>

    /// Makes the driver, the object that runs a session's connection.
    var makeDriver: @Sendable (EngineSettings, ChatMemory, ConnectionPolicy) -> Driver
    /// The clock and timers for the time limit in the background and for the time limits of waiting messages.
    var timers: any TimerScheduler
    /// Observes the network route to a host; nil when it cannot be observed.
    var observeNetwork: @Sendable (String, @escaping @Sendable (NetworkStatus) -> Void) -> NetworkObservation? = { _, _ in nil }
    /// Opens the database of a user. The second result is true when an unusable database was replaced by an empty one.
    var openDatabase:
        @Sendable (_ directory: String, _ appKey: String, _ user: String) throws(ChatDatabaseError) -> (ChatDatabase, Bool) = {
            (directory, appKey, user) throws(ChatDatabaseError) in
            let (database, isRecreated) = try ChatDatabase.open(directory: directory, appKey: appKey, user: user)
            return (database, isRecreated)
        }
    /// Handles arriving events.
    var intake: any ChatIntake
}
