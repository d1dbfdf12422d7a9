-- Why a run was asked to stop while its code goes on: for people.
ALTER TABLE running ADD COLUMN stopping TEXT;

-- What operators ask of a running node may carry an argument, and is answered.
ALTER TABLE request ADD COLUMN argument TEXT NOT NULL DEFAULT '';
CREATE TABLE answer (request INTEGER PRIMARY KEY, at INTEGER NOT NULL, ok INTEGER NOT NULL,
                     body TEXT NOT NULL) STRICT;
