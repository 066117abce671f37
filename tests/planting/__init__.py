"""Everything that can be wrong with a row: functions that yield changed rows of one row, by what they change."""
