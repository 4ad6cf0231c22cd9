import LifelineServer
import PostgreSQLStorage

extension ServeSettings {
    /// The directory or database address of stored messages, without a password; nil when messages are only in memory.
    var shownData: String? { data.map { DataAddress($0)?.shown ?? $0 } }

    /// Whether messages are stored in PostgreSQL.
    var usesDatabase: Bool { data.map(DataAddress.isAddress) ?? false }

    /// Checks the settings of the data store against each other.
    func checkDatabase(_ hasServices: Bool, _ problems: inout SettingProblems) {
        func refuse(_ isWrong: Bool, _ text: String) {
            if isWrong { problems.add(CommandFailure(text, .usage)) }
        }
        refuse(
            data == nil && dataParts.files != nil,
            "Uploaded files are stored only together with their records, which need the setting data: give data, or leave dataFiles out."
        )
        refuse(
            redis != nil && dataParts.files != nil,
            "With redis the contents of uploaded files are stored in Redis, where all servers can read them: leave dataFiles out."
        )
        guard usesDatabase else { return }
        refuse(
            hasServices && services.contains(.pubnub) && dataParts.files == nil && redis == nil,
            "PostgreSQL does not store the contents of uploaded files: name a directory for them with dataFiles "
                + "(--data-files), or leave pubnub out of services.")
    }

    /// Sets the directories or the database in which the server stores its data.
    func keepData(in configuration: inout ServerConfiguration) {
        configuration.fileDirectory = dataParts.files
        guard usesDatabase else { return configuration.dataDirectory = data }
        configuration.stores = data.map {
            .postgreSQL(PostgreSQLSettings(url: $0, passwordFile: dataParts.passwordFile, poolSize: dataParts.pool))
        }
    }
}
